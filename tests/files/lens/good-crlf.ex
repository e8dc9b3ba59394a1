;
# a comment
name:{a
b} I: 1
2;
