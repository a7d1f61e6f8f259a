// Pure: values in, values out.
/** A share, with the range in which the true one lies with 95 % confidence. */
export interface Share {
  readonly hits: number;
  readonly of: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** The normal distribution's 97.5th percentile. */
const Z = 1.959964;

/**
 * A share with its Wilson score interval (E. B. Wilson, JASA 22, 1927), which holds for few trials too and never leaves
 * 0 to 1, as Brown, Cai and DasGupta recommend (Statistical Science 16, 2001). Of nothing it is 0, and anything between
 * 0 and 1.
 */
export function shareOf(hits: number, of: number): Share {
  if (of === 0) return { hits, of, share: 0, low: 0, high: 1 };
  const share = hits / of;
  const spread = Z * Z;
  const centre = (share + spread / (2 * of)) / (1 + spread / of);
  const reach =
    (Z / (1 + spread / of)) * Math.sqrt((share * (1 - share)) / of + spread / (4 * of * of));
  return { hits, of, share, low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}
