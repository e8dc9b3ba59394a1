;
freq:;
I: 1;
