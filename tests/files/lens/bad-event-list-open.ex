;
[0 max:2 I: 1;
