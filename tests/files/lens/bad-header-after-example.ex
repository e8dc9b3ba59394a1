;
I: 1;
max:3 I: 1;
