;
name:{

 a
b
} I:1;
