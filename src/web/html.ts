/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insertion = string | number | Html | readonly Html[];

/** HTML with values in it: strings are escaped, for text and for quoted attributes; HTML is not. */
export function html(template: TemplateStringsArray, ...values: Insertion[]): Html {
  return new Html(String.raw({ raw: template }, ...values.map(print)));
}

function print(value: Insertion): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(print).join('');
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
