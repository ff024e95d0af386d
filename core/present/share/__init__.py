"""What leaves a build for other people: comparison, lists for forums and purchasing, one page; and lists taken in."""
