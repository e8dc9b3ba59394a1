;
I: 1 nan;
