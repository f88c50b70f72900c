import type { RunCache } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

// axe's own.
declare const cache_default: RunCache;
declare const dataRegex: RegExp;
declare function toMessageString(value: unknown): string;

function substitute(text: string, data: string | Record<string, unknown>): string {
  if (typeof data === 'string') return text.replace(dataRegex, data);
  const places = cache_default.get('messagePlaces', () => new Map<string, RegExp>());
  let message = text;
  for (const name in data) {
    if (!data.hasOwnProperty(name)) continue;
    let place = places.get(name);
    if (place === undefined) {
      place = new RegExp(`\\\${\\s?data\\.${name}\\s?}`, 'g');
      places.set(name, place);
    }
    message = message.replace(place, toMessageString(data[name]));
  }
  return message;
}

export const messages: Patch = replaceFunction(
  `The places of a message are searched for by expressions made anew for each element.`,
  substitute,
);
