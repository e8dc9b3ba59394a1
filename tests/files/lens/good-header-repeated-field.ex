max:2 max:3;
;
