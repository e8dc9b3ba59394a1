;
I: ("a group") 1 ("3rd") 2;
