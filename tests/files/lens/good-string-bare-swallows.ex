;
name:a;I:1;
name:{b} I:2;
