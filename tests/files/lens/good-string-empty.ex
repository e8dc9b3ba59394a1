;
name:{} I:1;
I:1;
