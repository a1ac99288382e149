/** After which part of its life a certificate that the operator makes is replaced. */
export const RENEWAL = 2 / 3;
