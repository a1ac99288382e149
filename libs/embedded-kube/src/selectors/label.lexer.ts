/** A token of a label selector; the end is a token too. */
export interface LabelToken {
  readonly type: 'identifier' | 'end' | ')' | '(' | ',' | '!' | '=' | '==' | '!=' | '>' | '<' | 'in' | 'notin';
  readonly text: string;
}

/** Splits a label selector into its tokens. */
export function scanLabelSelector(text: string): LabelToken[] {
  const tokens: LabelToken[] = [];
  const pattern = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+))/y;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, symbol, word] = match;
    if (symbol !== undefined) {
      tokens.push({ type: symbol as LabelToken['type'], text: symbol });
    } else {
      tokens.push({ type: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
    }
  }
  tokens.push({ type: 'end', text: '' });
  return tokens;
}
