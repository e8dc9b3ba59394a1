;
name:{é中} I:1;
