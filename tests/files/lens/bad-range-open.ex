;
I: (in 1;
