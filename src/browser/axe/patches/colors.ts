import type { Color, RunCache } from '../internals.ts';
import { type Patch, replaceMethod } from '../patch.ts';
import type { Channels, readColor } from '../read-color.ts';

// axe's own.
declare const cache_default: RunCache;
declare const incomplete_data_default: { set(key: string, reason: string): void };
declare function loadColors(): typeof readColor;

function parseString(this: Color, text: string): Color {
  const known = cache_default.get('parsedColors', () => new Map<string, Channels>());
  let channels = known.get(text);
  if (channels === undefined) {
    // As browsers write nearly every computed colour.
    const rgb = /^rgba?\((\d+), (\d+), (\d+)(?:, (\d(?:\.\d+)?))?\)$/.exec(text);
    const [r = 0, g = 0, b = 0, alpha = 1] = (rgb ?? []).slice(1).map((part) => Number(part ?? 1));
    if (rgb !== null && Math.max(r, g, b) <= 255 && alpha <= 1) {
      channels = [r / 255, g / 255, b / 255, alpha];
    } else {
      try {
        channels = cache_default.get('readColor', loadColors)(text);
      } catch {
        incomplete_data_default.set('colorParse', text);
        throw new Error(`Unable to parse color "${text}"`);
      }
    }
    known.set(text, channels);
  }
  [this.r, this.g, this.b, this.alpha] = channels;
  return this;
}

export const colors: Patch = replaceMethod(
  `All that is known of colours is set up to read three numbers.`,
  parseString,
);
