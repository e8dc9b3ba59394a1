;
 # no comment
I: 1;
