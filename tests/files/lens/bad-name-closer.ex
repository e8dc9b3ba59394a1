;
name:) I: 1;
