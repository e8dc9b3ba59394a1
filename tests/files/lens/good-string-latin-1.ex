;
name:{é} I:1;
