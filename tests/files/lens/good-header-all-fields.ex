proc:{set x 1}
max:4 min:.5 grace:1e-1 defI:-1 actI:2 defT:-3 actT:4;
i: 0 t: 0;
