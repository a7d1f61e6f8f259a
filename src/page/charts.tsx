const BAR_WIDTH = 200;

/** A bar of a share, 0 to 1, as inline SVG. The text next to it says the same. */
export function bar(share: number) {
  const width = Math.round(BAR_WIDTH * Math.min(1, share) * 100) / 100;
  return (
    <svg class="chart" viewBox={`0 0 ${BAR_WIDTH} 6`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="room" width={BAR_WIDTH} height="6" />
      <rect class="one" width={width} height="6" />
    </svg>
  );
}
