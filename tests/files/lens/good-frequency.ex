;
freq:2.5 I: 1;
freq:-1 I: 1;
freq:- I: 1;
