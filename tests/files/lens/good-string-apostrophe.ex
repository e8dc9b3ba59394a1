;
name:{it's} I:1;
