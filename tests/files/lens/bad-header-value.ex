max:x;
I: 1;
