;
I: 1 # no comment
;
