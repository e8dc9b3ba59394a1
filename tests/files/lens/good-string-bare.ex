;
name:abc-1.5 I:1;
