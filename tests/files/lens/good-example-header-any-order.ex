;
proc:{p} 2 name:{a} freq:3 name:{b} I: 1 I: 2;
