;
[0 often] I: 1;
