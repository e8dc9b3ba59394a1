;
I: inf;
