;
[0 max:x] I: 1;
