;
2 [0 actI:5] [1 actI:7] [*] i: 3;
