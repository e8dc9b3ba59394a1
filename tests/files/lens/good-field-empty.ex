max: ;
I: 1;
