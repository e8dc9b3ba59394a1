;
name:{a} I:1;
name:(b) I:1;
name:[c] I:1;
name:"d" I:1;
