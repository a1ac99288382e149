/** Numbers that one side could round or write in another way: of 64 bits, beyond them, with an exponent, small. */
export const NUMBERS = {
  int64: 9007199254740993n,
  list: [9223372036854775807n, -9223372036854775808n, 10000000000000000n],
  large: [2 ** 63, 1e20, 1e21, 1.5e300, -1.2345678901234568e29],
  small: [0.0001, 0.00001, -0.00001234, 1e-6, 1e-7, 1.23e-18, 5e-324],
  plain: [0, 1.5, 0.30000000000000004, 9007199254740991],
};

/** The numbers as Python writes them, in the order in which the server sends them. */
export const STORED_NUMBERS =
  '"int64":9007199254740993,' +
  '"large":[9223372036854776000,100000000000000000000,1e+21,1.5e+300,-1.2345678901234568e+29],' +
  '"list":[9223372036854775807,-9223372036854775808,10000000000000000],' +
  '"plain":[0,1.5,0.30000000000000004,9007199254740991],' +
  '"small":[0.0001,1e-05,-1.234e-05,1e-06,1e-07,1.23e-18,5e-324]';
