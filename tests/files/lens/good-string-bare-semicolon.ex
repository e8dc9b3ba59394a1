;
name:a; I:1;
