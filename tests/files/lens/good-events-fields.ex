;
2 [1 max:3 proc:{p} defI:0.5 actT:2] i: 1 t: 1;
