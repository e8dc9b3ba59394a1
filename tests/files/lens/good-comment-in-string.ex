;
name:{one
# not kept
two} I: 1;
