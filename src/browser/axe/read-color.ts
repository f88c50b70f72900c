import * as colors from 'colorjs.io/fn';

/*
 * Runs in the page, in the place of the whole of Color.js that axe-core brings along, which is a fifth
 * of its source. It is the same version of it, and the same steps.
 */

/** Those in which browsers write computed colours: https://drafts.csswg.org/css-color/#serializing-color-values */
const computedSpaces = [
  colors.A98RGB,
  colors.LCH,
  colors.Lab,
  colors.OKLCH,
  colors.OKLab,
  colors.P3,
  colors.P3_Linear,
  colors.ProPhoto,
  colors.REC_2020,
  colors.sRGB,
  colors.sRGB_Linear,
  colors.XYZ_D50,
  colors.XYZ_D65,
];
for (const space of computedSpaces) colors.ColorSpace.register(space);

const srgb = colors.sRGB;

/** In sRGB, clipped to what it can show; each from 0 to 1. */
export type Channels = readonly [r: number, g: number, b: number, alpha: number];

/** Throws for a text that is no computed colour. */
export function readColor(text: string): Channels {
  const { spaceId, coords, alpha } = colors.parse(text);
  const space = colors.ColorSpace.get(spaceId);
  const shown = space.to(srgb, coords);
  const clipped = srgb.inGamut(shown, { epsilon: 0 }) ? coords : srgb.to(space, clip(shown));
  const [r, g, b] = space.to(srgb, clipped);
  return [r ?? 0, g ?? 0, b ?? 0, alpha ?? 0];
}

function clip(coords: (number | null)[]): [number, number, number] {
  const [r, g, b] = coords.map((value) => Math.min(Math.max(0, value ?? 0), 1));
  return [r ?? 0, g ?? 0, b ?? 0];
}
