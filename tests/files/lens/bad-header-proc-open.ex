proc:{set x {1}
I: 1;
