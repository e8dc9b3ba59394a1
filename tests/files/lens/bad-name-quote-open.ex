;
name:{say "hi} I: 1;
