/** The program with all slips of users, each in a line of its own. */
export const PROGRAM: string;

/** The slips of which the compiler does not say what it should, each with what it says. */
export function findUnclear(printed: string): string[];
