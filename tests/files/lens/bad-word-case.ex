;
Name:{a} I: 1;
