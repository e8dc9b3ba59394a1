;
freq:often I: 1;
