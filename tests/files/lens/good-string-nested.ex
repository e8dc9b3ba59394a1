;
name:{a {b (c) [d] "e"} f} I:1;
