;
proc:{ if {$x} { I: 1;
