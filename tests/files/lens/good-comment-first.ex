# a comment
;
# another
I: 1 0;
