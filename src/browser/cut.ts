/** For what a page or its server chose, in a sentence of ours: the text, or its beginning and “…”. */
export function cut(text: string, maxLength = 200): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
