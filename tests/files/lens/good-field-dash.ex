defT:- ;
I: 1;
