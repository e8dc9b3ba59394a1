actI:2 actT:3;
b: 1;
i: 1 t: 1;
