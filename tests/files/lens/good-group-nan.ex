;
i: {nan} 1;
