/** Replaces a certificate of the operator's own after this part of its lifetime. */
export const RENEWAL = 2 / 3;
