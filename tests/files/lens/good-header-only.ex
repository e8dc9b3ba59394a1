max:2;
