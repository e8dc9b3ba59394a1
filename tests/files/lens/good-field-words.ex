max:inf min:-INFINITY defT:NaN actT:+2;
I: 1;
