;
I: 1;
name: